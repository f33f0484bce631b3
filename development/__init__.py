"""What development needs and nobody deploys: PostgreSQL and Redis from wheels, and the demo."""
