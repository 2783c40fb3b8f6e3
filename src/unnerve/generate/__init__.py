"""Makes new inputs."""
