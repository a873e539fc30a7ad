"""Classification: tables of scored labels, counts, ROC AUC, confusion matrices and curves."""
