"""What is needed for development and never deployed: PostgreSQL and Redis from wheels, and the demo."""
