// What releases of the operator answer to a corpus of inputs: builds the operator's own program, and runs it against an API server in memory.
// README.md says what is compared and what is masked.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const usage = `usage: oracle build  [flags] RELEASE
       oracle record [flags] RELEASE
       oracle check  [flags] RELEASE
       oracle facts  [flags] RELEASE
       oracle exporter [flags] NAME@RELEASE
       oracle pack   FOLDER ARCHIVE
       oracle unpack ARCHIVE FOLDER`

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		if errors.As(err, new(unanswered)) {
			os.Exit(3)
		}
		os.Exit(1)
	}
}

// unanswered are the cases that have no answer, each with the cause: all others have one. The program ends with 3 then.
type unanswered []string

func (cases unanswered) Error() string {
	return fmt.Sprintf("%d cases have no answer:\n%s", len(cases), strings.Join(cases, "\n"))
}

type settings struct {
	home, operands, corpus, out, recorded, gates, reloader, kubernetes string
	jobs, sample                                                       int
	patience                                                           time.Duration
	keep                                                               bool
}

func command(args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	var given settings
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.StringVar(&given.home, "home", "target/oracle", "where releases are built, and kept")
	flags.StringVar(&given.operands, "operands", "", "default versions that replace those of the release: prometheus=V,alertmanager=V,thanos=V")
	if args[0] == "record" || args[0] == "check" {
		flags.StringVar(&given.corpus, "corpus", "", "the folder of the cases, or its archive")
		flags.StringVar(&given.out, "out", "", "the folder for the answers")
		flags.StringVar(&given.recorded, "recorded", "", "check: the archive of the answers to compare with")
		flags.IntVar(&given.sample, "sample", 0, "how many of the cases to ask, evenly chosen; 0: all")
		flags.StringVar(&given.gates, "feature-gates", "PrometheusAgentDaemonSet=true,StatusForConfigurationResources=true,PrometheusTopologySharding=true,PrometheusShardRetentionPolicy=true", "feature gates, as far as the release knows them")
		flags.StringVar(&given.reloader, "reloader-image", "", "the image of the config reloader, if not that of the release")
		flags.StringVar(&given.kubernetes, "kube-version", "1.35", "what the API server calls itself")
		flags.IntVar(&given.jobs, "jobs", runtime.NumCPU(), "how many cases at once")
		flags.DurationVar(&given.patience, "patience", 20*time.Second, "how long a case may take")
		flags.BoolVar(&given.keep, "keep", false, "ask only the cases that have no answer yet")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if args[0] == "pack" && flags.NArg() == 2 {
		return pack(flags.Arg(0), flags.Arg(1))
	}
	if args[0] == "unpack" && flags.NArg() == 2 {
		return unpack(flags.Arg(0), flags.Arg(1))
	}
	if flags.NArg() != 1 {
		return errors.New(usage)
	}
	operands, err := parseOperands(given.operands)
	if err != nil {
		return err
	}
	switch args[0] {
	case "build":
		_, err := build(given.home, flags.Arg(0), operands)
		return err
	case "facts":
		return facts(given.home, flags.Arg(0), os.Stdout)
	case "exporter":
		return exporter(given.home, flags.Arg(0), os.Stdout)
	case "record":
		b, err := build(given.home, flags.Arg(0), operands)
		if err != nil {
			return err
		}
		return record(b, given)
	case "check":
		b, err := build(given.home, flags.Arg(0), operands)
		if err != nil {
			return err
		}
		return check(b, given)
	}
	return errors.New(usage)
}

// record answers all cases. Cases without an answer are an error, which names the causes.
func record(b Build, given settings) error {
	corpus, done, err := opened(given.corpus)
	if err != nil {
		return err
	}
	defer done()
	all, err := cases(corpus)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no case", given.corpus)
	}
	all = sampled(all, given.sample)
	gates, err := parseGates(given.gates)
	if err != nil {
		return err
	}
	known, err := knownGates(b)
	if err != nil {
		return err
	}
	url, stop, err := startWebhook(b)
	if err != nil {
		return err
	}
	defer stop()
	api, err := newAPI(b.crds(), url)
	if err != nil {
		return err
	}
	oracle := &Oracle{b, api, given.reloader, gates, known, given.kubernetes, given.patience}
	began := time.Now()
	failed := oracle.recordAll(all, given)
	fmt.Fprintf(os.Stderr, "%s: %d of %d cases answered in %s\n", b.release, len(all)-len(failed), len(all), time.Since(began).Round(time.Second))
	if len(failed) > 0 {
		return failed
	}
	return nil
}

// sampled are so many of the cases, evenly chosen.
func sampled(all []Case, n int) []Case {
	if n <= 0 || n >= len(all) {
		return all
	}
	var chosen []Case
	for i := range n {
		chosen = append(chosen, all[i*len(all)/n])
	}
	return chosen
}

func (oracle *Oracle) recordAll(all []Case, given settings) unanswered {
	queue := make(chan Case)
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed unanswered
	for range given.jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for c := range queue {
				if err := oracle.record(c, given); err != nil {
					mu.Lock()
					failed = append(failed, c.name+": "+err.Error())
					mu.Unlock()
				}
			}
		}()
	}
	for _, c := range all {
		queue <- c
	}
	close(queue)
	wait.Wait()
	return failed
}

// record answers one case. The cause that it has no answer is its only file then.
func (oracle *Oracle) record(c Case, given settings) error {
	folder := filepath.Join(given.out, c.name)
	if _, err := os.Stat(folder); err == nil && given.keep {
		if _, err := os.Stat(filepath.Join(folder, "unanswered.txt")); err != nil {
			return nil
		}
	}
	answer, err := oracle.ask(c)
	if err == nil {
		var files map[string][]byte
		if files, err = answer.files(); err == nil {
			return save(folder, files)
		}
	}
	if failed := save(folder, map[string][]byte{"unanswered.txt": []byte(err.Error() + "\n")}); failed != nil {
		return failed
	}
	return err
}

func parseGates(text string) (map[string]bool, error) {
	gates := map[string]bool{}
	for _, part := range strings.Split(text, ",") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			return nil, fmt.Errorf("feature gates: %q is not NAME=true or NAME=false", part)
		}
		gates[name] = on
	}
	return gates, nil
}

// knownGates are the feature gates in the help text of the operator.
func knownGates(b Build) ([]string, error) {
	help := help(b)
	names := slices.Sorted(maps.Keys(featuresOf(help)))
	if len(names) == 0 {
		return nil, fmt.Errorf("%s names no feature gates:\n%s", b.operator(), help)
	}
	return names, nil
}

// startWebhook starts the admission webhook of the release, which converts between versions of AlertmanagerConfigs.
func startWebhook(b Build) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := listener.Addr().String()
	listener.Close()
	webhook := exec.Command(b.webhook(), "--web.enable-tls=false", "--web.listen-address="+address, "--log-level=error")
	if err := webhook.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		webhook.Process.Kill()
		webhook.Wait()
	}
	url = "http://" + address
	for range 200 {
		if answer, err := http.Get(url + "/healthz"); err == nil {
			answer.Body.Close()
			return url, stop, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("%s does not answer", b.webhook())
}
