#!/bin/bash
# Every linter, with the static analyzer of clang as deep as it goes by itself.
exec tools/lint --deep
