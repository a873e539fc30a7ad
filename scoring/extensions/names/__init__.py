"""Names of tasks: shipped and installed tasks, and shipped suites, found by name and version, such as `squad@2`."""
