"""The composition root: naoshi.toml and the environment become objects that work together."""
