"""What every method ends in: diagrams and circuits, and every question about them, asked once."""
