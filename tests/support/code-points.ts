import * as fc from 'fast-check'

/**
 * Any character except half a surrogate pair, as the unit of a `fc.string`. The unit 'binary' is the same, but takes a second to make: it
 * builds a table of all characters.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((index) => String.fromCodePoint(index < 0xd8_00 ? index : index + 0x8_00))
