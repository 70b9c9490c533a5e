export type Bytes = Uint8Array<ArrayBuffer>

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (json: unknown): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

/** The bytes of base64url without padding. Decoders accept several spellings of the same bytes, but a token has one. */
export const bytesIn = (text: string): Bytes | undefined => {
  if (!/^[\w-]*$/.test(text)) return undefined
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    return base64urlOf(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** The base64url of bytes, without padding. */
export const base64urlOf = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The JSON object in these bytes; empty if they contain none. */
export const jsonIn = (bytes: Bytes | undefined): JsonObject => {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}
