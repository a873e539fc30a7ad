"""Reading of records: the paths at which a task finds its inputs, evaluated in counted steps."""
