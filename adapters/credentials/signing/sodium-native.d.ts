/** The package has no types. */
declare module 'sodium-native' {
  const sodium: import('./signatures.ts').Libsodium
  export = sodium
}
