package main

// Archives of cases and answers, the same bytes for the same files.

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// window is how far back an archive looks for what it repeats: answers of different cases are much alike.
const window = 64 << 20

// pack writes the files below a folder to an archive.
func pack(folder, archive string) error {
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil {
		return err
	}
	file, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	compressor, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	files := tar.NewWriter(compressor)
	err = eachFile(folder, func(name string, content []byte) error {
		header := tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(content))}
		if err := files.WriteHeader(&header); err != nil {
			return err
		}
		_, err = files.Write(content)
		return err
	})
	return errors.Join(err, files.Close(), compressor.Close())
}

// eachFile reads the files below a folder, in the order of their names.
func eachFile(folder string, use func(name string, content []byte) error) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return use(name, content)
	})
}

// unpack writes the files of an archive below a folder.
func unpack(archive, folder string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	decompressor, err := zstd.NewReader(file)
	if err != nil {
		return err
	}
	defer decompressor.Close()
	files := tar.NewReader(decompressor)
	for {
		header, err := files.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(header.Name) {
			return errors.New(archive + " has a file outside of it: " + header.Name)
		}
		path := filepath.Join(folder, header.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		content, err := io.ReadAll(files)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
}

// opened is the folder of a corpus: itself, or its archive taken apart.
func opened(corpus string) (folder string, done func(), err error) {
	if !strings.HasSuffix(corpus, ".tar.zst") {
		return corpus, func() {}, nil
	}
	if folder, err = os.MkdirTemp("", "corpus"); err != nil {
		return "", nil, err
	}
	return folder, func() { os.RemoveAll(folder) }, unpack(corpus, folder)
}
