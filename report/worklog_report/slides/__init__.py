"""Slides of the course's sessions, made of the syllabus and the steps' pages."""
