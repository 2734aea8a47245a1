// Evaluates queries with Prometheus's own engine, for the tests of the alerts.
//
// Reads JSON from standard input: the series, each with its labels and its points as [time, value], and the queries, each
// with the times at which it is asked. All times are in seconds. Writes, for each query, whether it returns anything at each
// of its times.
package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

type series struct {
	Labels map[string]string
	Points [][2]float64
}

type query struct {
	Query string
	At    []float64
}

func main() {
	var asked struct {
		Series  []series
		Queries []query
	}
	check(json.NewDecoder(os.Stdin).Decode(&asked))
	engine := promql.NewEngine(promql.EngineOpts{
		Parser:        parser.NewParser(parser.Options{}),
		MaxSamples:    10_000_000,
		Timeout:       time.Minute,
		LookbackDelta: 5 * time.Minute,
	})
	stored := storage.QueryableFunc(func(from, to int64) (storage.Querier, error) {
		return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			return selected(asked.Series, matchers)
		}}, nil
	})
	answers := [][]bool{}
	for _, one := range asked.Queries {
		answer := []bool{}
		for _, at := range one.At {
			prepared, err := engine.NewInstantQuery(context.Background(), stored, nil, one.Query, time.Unix(int64(at), 0))
			check(err)
			vector, err := prepared.Exec(context.Background()).Vector()
			check(err)
			answer = append(answer, len(vector) > 0)
			prepared.Close()
		}
		answers = append(answers, answer)
	}
	check(json.NewEncoder(os.Stdout).Encode(answers))
}

func selected(all []series, matchers []*labels.Matcher) storage.SeriesSet {
	found := []storage.Series{}
	for _, one := range all {
		if matches(one.Labels, matchers) {
			samples := []chunks.Sample{}
			for _, point := range one.Points {
				samples = append(samples, sample{point})
			}
			found = append(found, storage.NewListSeries(labels.FromMap(one.Labels), samples))
		}
	}
	return &set{all: found}
}

func matches(of map[string]string, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(of[matcher.Name]) {
			return false
		}
	}
	return true
}

type sample struct{ point [2]float64 }

func (s sample) ST() int64                     { return 0 }
func (s sample) T() int64                      { return int64(s.point[0] * 1000) }
func (s sample) F() float64                    { return s.point[1] }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }

type set struct {
	all  []storage.Series
	next int
}

func (s *set) Next() bool                        { s.next++; return s.next <= len(s.all) }
func (s *set) At() storage.Series                { return s.all[s.next-1] }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
