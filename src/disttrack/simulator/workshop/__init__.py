"""The workshop of classes: conformance, faults, templates, the arena, advice."""
