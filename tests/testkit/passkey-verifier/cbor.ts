/** What CTAP2 writes of CBOR (RFC 8949): integers, texts, bytes, lists and maps. */
export type Cbor = number | string | Uint8Array | ReadonlyArray<Cbor> | ReadonlyMap<number | string, Cbor>

export const cbor = (value: Cbor): Uint8Array<ArrayBuffer> => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return joined(head(3, Buffer.byteLength(value)), Buffer.from(value))
  if (value instanceof Uint8Array) return joined(head(2, value.length), value)
  if (value instanceof Map) return joined(head(5, value.size), ...[...value].flat().map((one) => cbor(one)))
  const items = value as ReadonlyArray<Cbor> // the compiler does not exclude maps that are no `Map`
  return joined(head(4, items.length), ...items.map(cbor))
}

/** The major type, and a length or number below 2^32. */
const head = (major: number, number: number): Uint8Array<ArrayBuffer> => {
  const type = major << 5
  if (number < 24) return Uint8Array.of(type | number)
  const size = number < 256 ? 1 : number < 65_536 ? 2 : 4
  const bytes = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).slice(-size)
  return Uint8Array.of(type | { 1: 24, 2: 25, 4: 26 }[size], ...bytes)
}

export const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat(parts))
