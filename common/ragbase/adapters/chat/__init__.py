"""What the language models behind HTTP share: how they are asked, how an answer is asked for, and how it is read."""
