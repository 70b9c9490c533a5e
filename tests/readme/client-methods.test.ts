import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { OPERATIONS } from '../../adapters/client/operations.ts'
import { ROOT } from '../architecture/root.ts'
import { allRoutes } from '../client/all-routes.ts'
import { withMethods } from '../client/methods-table.ts'
import { fieldsByReason, WITHOUT_CODE } from './client-page-reasons.ts'
import { partOf } from './page.ts'

const PAGE = readFileSync(join(ROOT, 'docs/client-methods.md'), 'utf8')

describe('docs/client-methods.md', () => {
  it('lists every method with its fields and scope', async () => {
    expect(PAGE).to.equal(withMethods(PAGE, await allRoutes())) // `make docs` writes them
    for (const id of Object.keys(OPERATIONS)) expect(PAGE).to.include(`\n| \`${id}\` |`)
  })

  it('lists all reasons of the client, each with the fields that can have it', async () => {
    const fields = fieldsByReason(OPERATIONS, await allRoutes())
    const rows = [...partOf(PAGE, '## Reasons and fields').matchAll(/^\| `(\w+)` \|(.*)\|$/gm)]
    const shown = rows.map(([, reason = '', cell = '']) => [reason, cell.match(/\w+/g) ?? []])
    const expected = [...fields, ...WITHOUT_CODE.map((reason) => [reason, []])]
    expect(Object.fromEntries(shown)).to.deep.equal(Object.fromEntries(expected))
    expect(shown).to.have.lengthOf(expected.length)
  })
})
