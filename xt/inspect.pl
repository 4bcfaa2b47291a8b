#!/usr/bin/env perl

# Proves the image commands on generated structures.
#
#     perl -Mblib xt/inspect.pl [--count 100000] [--seed 1] [--memory 1000]
#
# The images of xt/differential.pl's structures, in native and in network order, go to
# xt/inspect_check.c, which says what it does with them; of one in --memory pairs it lets each
# allocation fail. Exit status: 0 all are as they must be, 1 some are not, 2 usage.

use strict;
use warnings;
use FindBin ();
use lib "$FindBin::Bin/lib";
use ImageChecks ();

exit ImageChecks::run('inspect_check');
