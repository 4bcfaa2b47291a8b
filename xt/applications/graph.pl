# Subject: Graph
# Does: directed and undirected graphs with attributes, deep copies, cached shortest paths, stored and used again
# Packages: libgraph-perl
# Needs: Graph
use strict;
use warnings;
use Scenario;
use Graph ();
use Graph::AdjacencyMap::Light ();
use Graph::Undirected ();
use Storable qw(dclone nstore retrieve);

srand 7;
if (writing) {
    my $directed = Graph->new;
    $directed->add_weighted_edge($_, ($_ * 7 + 3) % 20, $_ % 5 + 1) for 0 .. 19;
    $directed->add_weighted_edge($_, ($_ * 3 + 1) % 20, $_ % 7 + 1) for 0 .. 19;
    $directed->set_vertex_attribute(3, info => {rows => rows(1)});
    $directed->set_graph_attribute(title => "\x{263a}");
    my $undirected = Graph::Undirected->new(multiedged => 1);
    $undirected->add_edge_by_id(@$_, 'e' . join '', @$_) for [a => 'b'], [b => 'c'], [c => 'a'], [d => 'e'];
    nstore({directed => $directed, undirected => $undirected, apsp => $directed->APSP_Floyd_Warshall}, 'graphs');
}
my $data = retrieve('graphs');
for my $graph (map { ($_, dclone($_), $_->deep_copy) } $data->{directed}) {
    print ref $graph, ': ', scalar $graph->vertices, ' vertices, ', scalar $graph->edges, " edges\n";
    print 'from 0 to 9: ', join(' ', $graph->SP_Dijkstra(0, 9)), ', length ', $graph->path_length(0, 9), "\n";
    print 'cyclic: ', $graph->is_cyclic ? 1 : 0, ', strong components: ', scalar $graph->strongly_connected_components, "\n";
    print 'equal: ', $graph eq $data->{directed} ? 1 : 0, "\n";
    show('attributes', $graph->get_vertex_attribute(3, 'info'), $graph->get_graph_attribute('title'));
    $graph->delete_vertex(19);
}
my $undirected = $data->{undirected};
print 'components: ', join(' ', sort map { join '', sort @$_ } $undirected->connected_components), ', ids: ', join(' ', $undirected->get_multiedge_ids('a', 'b')), "\n";
print 'all pairs: ', join(' ', map { $data->{apsp}->path_length(0, $_) // '-' } 0 .. 18), "\n";
