"""Asking a program that listens elsewhere: one request over HTTP, with a bound on its time and its answer."""
