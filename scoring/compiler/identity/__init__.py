"""What a task is: its canonical meaning, its signature, and the lock of what it imports."""
