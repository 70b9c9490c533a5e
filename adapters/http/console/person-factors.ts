import { isSome } from 'fp-ts/lib/Option.js'
import { FACTORS, type Factor, isIdentity } from '../../../domain/factor.ts'
import { identityName } from '../../../domain/identity.ts'
import { type Html, html } from '../operation/html.ts'
import { storedHtml, tableHtml } from './layout.ts'
import { timeHtml } from './times.ts'

const usedHtml = ({ usedAtSeconds }: Factor) =>
  isSome(usedAtSeconds) ? timeHtml(usedAtSeconds.value * 1000) : 'never'

/** The second factors of a user. */
export const factorsHtml = (factors: ReadonlyArray<Factor>): Html =>
  tableHtml({
    label: 'Second factors',
    head: ['Kind', 'Name', 'Added', 'Last used', 'Codes left'],
    rows: factors
      .filter((factor) => !isIdentity(factor))
      .map((factor) => [
        FACTORS[factor.kind],
        storedHtml(factor.name),
        timeHtml(factor.createdAtSeconds * 1000),
        usedHtml(factor),
        factor.kind === 'recovery_codes' ? factor.counter : '',
      ]),
    none: 'None.',
  })

/** The identities of a user at other providers, and nothing for a user without them. The subject is not shown: it names a person there. */
export const identitiesHtml = (factors: ReadonlyArray<Factor>): Html | false => {
  const identities = factors.filter(isIdentity)
  return (
    identities.length > 0 &&
    html`<h2>Identities</h2>
${tableHtml({
  label: 'Identities',
  head: ['Provider', 'Name', 'Linked', 'Last used'],
  rows: identities.map((factor) => {
    const name = identityName(factor.material)
    return [
      isSome(name) ? storedHtml(name.value.issuer) : 'damaged',
      storedHtml(factor.name),
      timeHtml(factor.createdAtSeconds * 1000),
      usedHtml(factor),
    ]
  }),
  none: 'None.',
})}
`
  )
}
