package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

type Claims struct {
	Issuer      string   `json:"iss"`
	Audience    string   `json:"aud"`
	User        string   `json:"sub"`
	Application string   `json:"client_id"`
	Session     string   `json:"sid"`
	Expires     int64    `json:"exp"`
	Roles       []string `json:"roles"` // absent without any
}

const tolerance = 5 // seconds

var errInvalid = errors.New("the token is invalid")

func verify(token, issuer string, keys map[string]ed25519.PublicKey, now time.Time) (*Claims, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errInvalid
	}
	var header struct{ Alg, Typ, Kid string }
	if err := decode(parts[0], &header); err != nil || header.Alg != "EdDSA" || header.Typ != "at+jwt" {
		return nil, errInvalid
	}
	key, known := keys[header.Kid]
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if !known || err != nil || !ed25519.Verify(key, []byte(parts[0]+"."+parts[1]), signature) {
		return nil, errInvalid
	}
	var claims Claims
	if err := decode(parts[1], &claims); err != nil {
		return nil, errInvalid
	}
	if claims.Issuer != issuer || claims.Audience != issuer || claims.Expires+tolerance <= now.Unix() {
		return nil, errInvalid
	}
	if claims.User == "" || claims.Application == "" || claims.Session == "" {
		return nil, errInvalid
	}
	return &claims, nil
}

func (claims *Claims) has(role string) bool {
	for _, one := range claims.Roles {
		if one == role {
			return true
		}
	}
	return false
}

func decode(part string, into any) error {
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, into)
}

func fetchKeys(url string) (map[string]ed25519.PublicKey, error) {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	var set struct {
		Keys []struct{ Kid, Crv, X string }
	}
	if err := json.NewDecoder(response.Body).Decode(&set); err != nil {
		return nil, err
	}
	keys := map[string]ed25519.PublicKey{}
	for _, key := range set.Keys {
		x, err := base64.RawURLEncoding.DecodeString(key.X)
		if err == nil && key.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize {
			keys[key.Kid] = x
		}
	}
	return keys, nil
}

func main() {
	issuer, token := os.Args[1], os.Args[2]
	keys, err := fetchKeys(issuer + "/.well-known/user-jwks.json")
	if err != nil {
		fmt.Fprintln(os.Stderr, "no keys:", err)
		os.Exit(1)
	}
	claims, err := verify(token, issuer, keys, time.Now())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, role := range os.Args[3:] {
		if !claims.has(role) {
			fmt.Fprintln(os.Stderr, "the user lacks a role")
			os.Exit(1)
		}
	}
	fmt.Println(claims.User)
}
