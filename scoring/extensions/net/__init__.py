"""Network access: addresses, host names, HTTP within limits, and the removal of keys from texts of others."""
