"""The walks of `memd setup`: a workspace made and taken away again, and the record of what was there before."""
