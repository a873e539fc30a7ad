"""CodeBLEU: how much of the words, syntax and flow of values of programs agrees."""
