"""What an agent did and what came of it: sessions, runs, tasks, skills. Values and tables; they decide nothing."""
