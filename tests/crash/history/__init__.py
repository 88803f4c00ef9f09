"""A history of all writing methods from several clients under kill -9, checked against what each reply promised.

    python -m tests.crash.history --seed 7 --rounds 20

`things` says what a reply promises, `verbs*` what is asked, `clients` ask it, `views` say what is served, `files` what stands on
the disk, `rounds` kill and look.
"""
