import { expect } from 'chai'

/**
 * Fails unless a place lists each item once and none besides, and says which items are wrong.
 *
 * @param place where the list is: a file
 */
export const expectListed = (
  listed: ReadonlyArray<string>,
  items: ReadonlyArray<string>,
  place: string,
): void => {
  expect(
    {
      missing: items.filter((item) => !listed.includes(item)),
      unknown: listed.filter((item) => !items.includes(item)),
      repeated: listed.filter((item, index) => listed.indexOf(item) !== index),
    },
    place,
  ).to.deep.equal({ missing: [], unknown: [], repeated: [] })
}
