# Makes the manual of pst of that of permafrost (script/permafrost), as POD.
1,/^__END__$/d
s/^permafrost - .*/pst - look into images of Perl's Storable, and convert them/
/^The program C<pst> /,/^$/c\
The program C<permafrost>, which comes with the Perl module Permafrost, has the same commands, and\
one that audits code.\

/^  permafrost audit/d
/^=head2 audit$/,/^=head1/{
    /^=head1/!d
}
s/permafrost \([a-zA-Z]\)/pst \1/g
s/permafrost --/pst --/g
/^=head1 SEE ALSO/,/^=cut/{
    s/L<Permafrost::\(Image\|Audit\)>, //g
}
p
