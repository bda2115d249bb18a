package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
)

// What is read of a configuration.
type configuration struct {
	Global struct {
		Interval string `yaml:"scrape_interval"`
	} `yaml:"global"`
	Jobs []job `yaml:"scrape_configs"`
}

type job struct {
	Name        string              `yaml:"job_name"`
	HonorLabels bool                `yaml:"honor_labels"`
	Interval    string              `yaml:"scrape_interval"`
	Scheme      string              `yaml:"scheme"`
	Path        string              `yaml:"metrics_path"`
	Params      map[string][]string `yaml:"params"`
	Kubernetes  []struct {
		Role       string `yaml:"role"`
		Namespaces struct {
			Names []string `yaml:"names"`
		} `yaml:"namespaces"`
	} `yaml:"kubernetes_sd_configs"`
	Static []struct {
		Targets []string          `yaml:"targets"`
		Labels  map[string]string `yaml:"labels"`
	} `yaml:"static_configs"`
	OfTargets []*relabel.Config `yaml:"relabel_configs"`
	OfSamples []*relabel.Config `yaml:"metric_relabel_configs"`
}

// A target that is scraped: its labels, where it is read, its job, and what it exposes.
type target struct {
	labels   labels.Labels
	path     string
	job      *job
	interval int64
	exposes  []series
}

// orElse is a text, or what stands for an empty one.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// targets gives those that are left behind relabeling.
func (c *configuration) targets(all []discovered) ([]target, error) {
	var kept []target
	for number := range c.Jobs {
		job := &c.Jobs[number]
		for _, rule := range slices.Concat(job.OfTargets, job.OfSamples) {
			rule.NameValidationScheme = model.UTF8Validation
		}
		text := orElse(job.Interval, orElse(c.Global.Interval, "1m"))
		interval, err := model.ParseDuration(text)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", job.Name, err)
		}
		for _, found := range job.discovers(all) {
			if labels, ok := job.keeps(found.Labels); ok {
				kept = append(kept, target{labels, orElse(job.Path, "/metrics"), job, time.Duration(interval).Milliseconds(), found.Series})
			}
		}
	}
	return kept, nil
}

// discovers gives the targets before relabeling.
func (j *job) discovers(all []discovered) []discovered {
	var found []discovered
	for _, discovery := range j.Kubernetes {
		names := discovery.Namespaces.Names
		for _, one := range all {
			if one.Role == discovery.Role && (len(names) == 0 || slices.Contains(names, one.Namespace)) {
				found = append(found, one)
			}
		}
	}
	for _, group := range j.Static {
		for _, address := range group.Targets {
			one := discovered{Labels: map[string]string{"__address__": address}}
			for name, value := range group.Labels {
				one.Labels[name] = value
			}
			for _, known := range all {
				if known.Role == "static" && known.Labels["__address__"] == address {
					one.Series = known.Series
				}
			}
			found = append(found, one)
		}
	}
	return found
}

// keeps gives the labels of a target behind relabeling, unless that drops it.
func (j *job) keeps(found map[string]string) (labels.Labels, bool) {
	builder := labels.NewBuilder(labels.FromMap(found))
	defaults := map[string]string{
		"job":              j.Name,
		"__scheme__":       orElse(j.Scheme, "http"),
		"__metrics_path__": orElse(j.Path, "/metrics"),
	}
	for name, values := range j.Params {
		defaults["__param_"+name] = values[0]
	}
	for name, value := range defaults {
		if builder.Get(name) == "" {
			builder.Set(name, value)
		}
	}
	if !relabel.ProcessBuilder(builder, j.OfTargets...) || builder.Get("__address__") == "" {
		return labels.EmptyLabels(), false
	}
	if builder.Get("instance") == "" {
		builder.Set("instance", builder.Get("__address__"))
	}
	var internal []string
	builder.Range(func(label labels.Label) {
		if strings.HasPrefix(label.Name, "__") {
			internal = append(internal, label.Name)
		}
	})
	return builder.Del(internal...).Labels(), true
}

// sample gives the labels of a sample that is stored, unless a rule drops it.
func (t *target) sample(exposed map[string]string) (labels.Labels, bool) {
	builder := labels.NewBuilder(labels.FromMap(exposed))
	t.labels.Range(func(label labels.Label) {
		own, collides := exposed[label.Name]
		switch {
		case !collides:
			builder.Set(label.Name, label.Value)
		case !t.job.HonorLabels:
			builder.Set("exported_"+label.Name, own)
			builder.Set(label.Name, label.Value)
		}
	})
	if !relabel.ProcessBuilder(builder, t.job.OfSamples...) {
		return labels.EmptyLabels(), false
	}
	stored := builder.Labels()
	return stored, stored.Get("__name__") != ""
}

// synthetic gives the samples that Prometheus makes for each scrape.
func (t *target) synthetic(stored float64) map[string]float64 {
	return map[string]float64{
		"up": 1, "scrape_duration_seconds": 0.1, "scrape_samples_scraped": float64(len(t.exposes)),
		"scrape_samples_post_metric_relabeling": stored, "scrape_series_added": 0,
	}
}
