import { expect } from 'chai'
import { OPERATIONS } from '../../adapters/client/operations.ts'
import type { Route } from '../../adapters/http/operation/route.ts'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import { PASSKEY_SETTINGS } from '../support/passkey-desk.ts'
import { settings } from '../support/settings.ts'
import { PAGE } from './client-page-blocks.ts'
import { fieldsByReason, WITHOUT_CODE } from './client-page-reasons.ts'
import { partOf } from './page.ts'

/** The routes of a service with everything on. They stand for the service, so nothing must be stopped. */
const allRoutes = (): Promise<ReadonlyArray<Route>> =>
  compose(
    settings({ ...PASSKEY_SETTINGS, PASSWORD_POLICY: 'nist' }),
    provide(Dependency.passwordRules, () => [{ name: 'any', refusal: 'is refused.', refuses: () => false }]),
    provide(
      Dependency.service,
      { openApi: Dependency.openApi },
      ({ openApi }) => openApi(() => false).routes as never,
    ),
  ) as Promise<unknown> as Promise<ReadonlyArray<Route>>

describe('the reasons in docs/client.md', () => {
  it('are all reasons of the client, each with the fields that can have it', async () => {
    const fields = fieldsByReason(OPERATIONS, await allRoutes())
    const rows = [...partOf(PAGE, '## Reasons').matchAll(/^\| `(\w+)` \|(.*)\|$/gm)]
    const shown = rows.map(([, reason = '', cell = '']) => [reason, cell.match(/\w+/g) ?? []])
    const expected = [...fields, ...WITHOUT_CODE.map((reason) => [reason, []])]
    expect(Object.fromEntries(shown)).to.deep.equal(Object.fromEntries(expected))
    expect(shown).to.have.lengthOf(expected.length)
  })
})
