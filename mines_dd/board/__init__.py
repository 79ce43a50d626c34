"""What a player sees: boards, their text and files, and how they look."""
