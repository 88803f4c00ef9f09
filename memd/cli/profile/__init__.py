"""The verb that tells what is held of somebody: about."""
