// Verifies an exported log with the code of Go's checksum database, which shares nothing with the service:
//
//	verifier DIR VKEY [KEPT-NOTE...]
//
// It prints "ok SIZE ROOT" and ends with 0. Otherwise it prints one sentence to standard error and ends with 1.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	height = 8
	width  = 1 << height
)

func main() {
	if len(os.Args) < 3 {
		fail("usage: verifier DIR VKEY [KEPT-NOTE...]")
	}
	verifier, err := note.NewVerifier(os.Args[2])
	check("the verifier key", err)
	files := folder(os.Args[1])
	tree := checkpoint(filepath.Join(os.Args[1], "checkpoint"), verifier)

	entries := hashesOfEntries(files, tree.N)
	if root(tree.N, entries) != tree.Hash {
		fail("the entries have another root than the checkpoint")
	}
	for level, hashes := 0, tree.N; hashes > 0; level, hashes = level+1, hashes>>height {
		for n := int64(0); n*width < hashes; n++ {
			tile := tlog.Tile{H: height, L: level, N: n, W: int(min(width, hashes-n*width))}
			expected, err := tlog.ReadTileData(tile, entries)
			check("the hashes of "+path(tile), err)
			if found, err := files.tile(tile); err != nil || !bytes.Equal(found, expected) {
				fail("%s does not contain the hashes of its entries", path(tile))
			}
		}
	}
	tiles := tlog.TileHashReader(tree, files)
	if root(tree.N, tiles) != tree.Hash {
		fail("the tiles have another root than the checkpoint")
	}
	for _, name := range os.Args[3:] {
		kept := checkpoint(name, verifier)
		if kept.N > tree.N {
			fail("%s covers %d entries, and the log has %d", name, kept.N, tree.N)
		}
		if kept.N == 0 {
			if kept.Hash != root(0, tiles) {
				fail("%s does not have the root of an empty log", name)
			}
			continue // every log continues an empty one
		}
		proof, err := tlog.ProveTree(tree.N, kept.N, tiles)
		check("the proof for "+name, err)
		check("the log does not continue "+name, tlog.CheckTree(proof, tree.N, tree.Hash, kept.N, kept.Hash))
	}
	fmt.Println("ok", tree.N, tree.Hash)
}

// checkpoint opens a note that the key signed for the origin that the key is named after.
func checkpoint(name string, verifier note.Verifier) tlog.Tree {
	text, err := os.ReadFile(name)
	check("the checkpoint", err)
	opened, err := note.Open(text, note.VerifierList(verifier))
	check(name, err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		fail("%s is not a checkpoint of %s", name, verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		fail("%s has no size", name)
	}
	hash, err := tlog.ParseHash(lines[2])
	check("the root of "+name, err)
	return tlog.Tree{N: size, Hash: hash}
}

// root returns the hash of a tree. For an empty one, tlog returns zeros instead of the hash of nothing (RFC 6962 §2.1).
func root(size int64, hashes tlog.HashReader) tlog.Hash {
	if size == 0 {
		return sha256.Sum256(nil)
	}
	hash, err := tlog.TreeHash(size, hashes)
	check("the root", err)
	return hash
}

// hashesOfEntries computes every hash of the tree from the entry bundles alone.
func hashesOfEntries(files folder, size int64) tlog.HashReader {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			found[i] = stored[index]
		}
		return found, nil
	})
	for n := int64(0); n < size; n += width {
		wanted := int(min(width, size-n))
		name := "tile/entries/" + numbered(n/width, wanted)
		bundle, isFull, err := files.read("tile/entries/", n/width, wanted)
		check(name, err)
		for i := 0; i < wanted; i++ {
			if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
				fail("%s does not contain %d entries", name, wanted)
			}
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			hashes, err := tlog.StoredHashesForRecordHash(n+int64(i), tlog.RecordHash(bundle[2:end]), reader)
			check(name, err)
			stored = append(stored, hashes...)
			bundle = bundle[end:]
		}
		if len(bundle) > 0 && !(isFull && wanted < width) {
			fail("%s contains more than %d entries", name, wanted)
		}
	}
	return reader
}

// folder has the files of C2SP tlog-tiles. It is a tlog.TileReader.
type folder string

func (f folder) Height() int { return height }

func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		var err error
		if data[i], err = f.tile(tile); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (f folder) tile(tile tlog.Tile) ([]byte, error) {
	data, isFull, err := f.read(fmt.Sprintf("tile/%d/", tile.L), tile.N, tile.W)
	if length := tile.W * tlog.HashSize; err == nil && isFull && len(data) == width*tlog.HashSize {
		return data[:length], nil
	}
	return data, err
}

// read returns a file, or the full one that may have replaced it.
func (f folder) read(prefix string, n int64, w int) (data []byte, isFull bool, err error) {
	data, err = os.ReadFile(filepath.Join(string(f), prefix+numbered(n, w)))
	if !os.IsNotExist(err) || w == width {
		return data, w == width, err
	}
	data, err = os.ReadFile(filepath.Join(string(f), prefix+numbered(n, width)))
	return data, true, err
}

func path(tile tlog.Tile) string { return fmt.Sprintf("tile/%d/%s", tile.L, numbered(tile.N, tile.W)) }

// numbered returns x001/x234/067, or x001/x234/067.p/8 for a partial tile.
func numbered(n int64, w int) string {
	name := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n > 0; n /= 1000 {
		name = fmt.Sprintf("x%03d/%s", n%1000, name)
	}
	if w < width {
		name += fmt.Sprintf(".p/%d", w)
	}
	return name
}

func min(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func check(what string, err error) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}
