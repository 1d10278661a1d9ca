"""What a person sees of Naoshi: the command line."""
