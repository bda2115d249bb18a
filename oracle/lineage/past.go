package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/tsdb"
)

const (
	// When the past begins and how long it is, in milliseconds.
	start  = int64(1_700_000_010_000)
	length = int64(30 * 60_000)
	// When expressions are asked: late enough for every range, and at every distance from a scrape.
	askedFrom = start + 16*60_000
	askedStep = 7 * time.Second
	// How often rules are evaluated.
	ruleStep = 15 * time.Second
)

// past is what is stored of half an hour.
type past struct {
	folder string
	db     *tsdb.DB
	engine *promql.Engine
}

func newPast() (*past, error) {
	folder, err := os.MkdirTemp("", "lineage")
	if err != nil {
		return nil, err
	}
	options := tsdb.DefaultOptions()
	options.WALSegmentSize = -1
	options.MinBlockDuration = (24 * time.Hour).Milliseconds()
	options.MaxBlockDuration = options.MinBlockDuration
	options.RetentionDuration = 0
	options.StripeSize = 256
	db, err := tsdb.Open(folder, nil, nil, options, tsdb.NewDBStats())
	if err != nil {
		return nil, err
	}
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 50_000_000, Timeout: time.Minute, EnableAtModifier: true, EnableNegativeOffset: true,
		NoStepSubqueryIntervalFn: func(int64) int64 { return ruleStep.Milliseconds() },
		Parser:                   parser.NewParser(parser.Options{EnableExperimentalFunctions: true}),
	})
	return &past{folder, db, engine}, nil
}

func (p *past) close() {
	p.engine.Close()
	p.db.Close()
	os.RemoveAll(p.folder)
}

// scrape stores the samples of targets. Each target has a second of its own in its interval.
func (p *past) scrape(targets []target) error {
	appender := p.db.Appender(context.Background())
	for number := range targets {
		target := &targets[number]
		offset := int64(number) * 3_700 % target.interval
		for at, n := start+offset, 1.0; at <= start+length; at, n = at+target.interval, n+1 {
			stored := 0.0
			for _, exposed := range target.exposes {
				labels, ok := target.sample(exposed.Labels)
				if !ok || exposed.Path != "" && exposed.Path != target.path {
					continue
				}
				value := exposed.Value
				if exposed.Grows {
					value *= n
				}
				if _, err := appender.Append(0, labels, at, value); err != nil {
					return fmt.Errorf("%s: %w", labels, err)
				}
				stored++
			}
			for name, value := range target.synthetic(stored) {
				labels := labels.NewBuilder(target.labels).Set("__name__", name).Labels()
				if _, err := appender.Append(0, labels, at, value); err != nil {
					return fmt.Errorf("%s: %w", labels, err)
				}
			}
		}
	}
	return appender.Commit()
}

// errFails is what an expression ends with that cannot be evaluated on what is stored.
type errFails struct{ error }

// over evaluates an expression again and again.
func (p *past) over(expression string, from int64, step time.Duration) (promql.Matrix, error) {
	ctx := context.Background()
	query, err := p.engine.NewRangeQuery(ctx, p.db, nil, expression, time.UnixMilli(from), time.UnixMilli(start+length), step)
	if err != nil {
		return nil, err
	}
	defer query.Close()
	result := query.Exec(ctx)
	if result.Err != nil {
		return nil, errFails{result.Err}
	}
	matrix, err := result.Matrix()
	if err != nil {
		return nil, err
	}
	copied := promql.Matrix{}
	for _, series := range matrix {
		series.Floats = append([]promql.FPoint{}, series.Floats...)
		copied = append(copied, series)
	}
	return copied, nil
}

// evaluate stores what a rule makes: nothing if it fails. Those that it reads have been evaluated before.
func (p *past) evaluate(of rule) error {
	matrix, err := p.over(of.Expr, start, ruleStep)
	if errors.As(err, &errFails{}) {
		return nil
	}
	if err != nil {
		return err
	}
	appender := p.db.Appender(context.Background())
	for _, series := range matrix {
		builder := labels.NewBuilder(series.Metric).Set("__name__", of.Record)
		if of.Alert != "" {
			builder.Set("__name__", "ALERTS").Set("alertname", of.Alert).Set("alertstate", "firing")
		}
		for name, value := range of.Labels {
			builder.Set(name, value)
		}
		for _, point := range series.Floats {
			value := point.F
			if of.Alert != "" {
				value = 1
			}
			if _, err := appender.Append(0, builder.Labels(), point.T, value); err != nil {
				// Two series have the same labels.
				return appender.Rollback()
			}
		}
	}
	return appender.Commit()
}

// ask tells how often an expression has a result.
func (p *past) ask(expression string) (answer, error) {
	matrix, err := p.over(expression, askedFrom, askedStep)
	if errors.As(err, &errFails{}) {
		return answer{Error: err.Error()}, nil
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", expression, err)
	}
	times, most := map[int64]bool{}, 0
	for _, series := range matrix {
		n := 0
		for _, point := range series.Floats {
			if !math.IsNaN(point.F) {
				times[point.T] = true
				n++
			}
		}
		most = max(most, n)
	}
	return answer{Found: len(times), Series: most, Of: int((start+length-askedFrom)/askedStep.Milliseconds()) + 1}, nil
}
