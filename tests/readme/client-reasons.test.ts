import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { OPERATIONS } from '../../adapters/client/operations.ts'
import { ROOT } from '../architecture/root.ts'
import { allRoutes } from '../client/all-routes.ts'
import { fieldsByReason, WITHOUT_CODE } from './client-page-reasons.ts'
import { partOf } from './page.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('the client in the pages', () => {
  it('has every method in docs/routes.md', () => {
    const page = read('docs/routes.md')
    for (const id of Object.keys(OPERATIONS))
      expect(page).to.match(new RegExp(`^\\| <a .*<br>\`${id}\`:`, 'm'))
  })

  it('lists all reasons of the client, each with the fields that can have it', async () => {
    const fields = fieldsByReason(OPERATIONS, await allRoutes())
    const rows = [...partOf(read('docs/client.md'), '## Reasons').matchAll(/^\| `(\w+)` \|(.*)\|$/gm)]
    const shown = rows.map(([, reason = '', cell = '']) => [reason, cell.match(/\w+/g) ?? []])
    const expected = [...fields, ...WITHOUT_CODE.map((reason) => [reason, []])]
    expect(Object.fromEntries(shown)).to.deep.equal(Object.fromEntries(expected))
    expect(shown).to.have.lengthOf(expected.length)
  })
})
