import { isRight } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { identityIdOf } from '../../application/factors/identity-factor.ts'
import type { Digests } from '../../application/ports/environment.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import { type Factor, isIdentity } from '../../domain/factor.ts'
import { identityName } from '../../domain/identity.ts'
import { identityProvidersIn } from '../config/identity-providers.ts'
import type { Settings } from '../config/settings.ts'
import { printableOnLine } from './printable.ts'

type Dependencies = Readonly<{
  digests: Digests
  settings: Pick<Settings, 'identityProvidersFile'>
}>

/**
 * Whether each identity has the id that follows from its issuer and subject, and how many have an issuer that no provider of the settings
 * has. No finding without identities.
 */
export const identitiesFinding = ({ digests, settings }: Dependencies) => {
  let count = 0
  const damaged: Array<string> = []
  const byIssuer = new Map<string, number>()
  return {
    take: (factors: ReadonlyArray<Factor>): void => {
      for (const factor of factors.filter((one) => isIdentity(one) && !one.removed)) {
        count += 1
        const name = identityName(factor.material)
        if (isNone(name) || identityIdOf({ digests }, name.value) !== factor.id) damaged.push(factor.id)
        else byIssuer.set(name.value.issuer, (byIssuer.get(name.value.issuer) ?? 0) + 1)
      }
    },
    findings: (): ReadonlyArray<Finding> =>
      count === 0 ? [] : [{ name: 'identities', ok: damaged.length === 0, detail: detail() }],
  }

  function detail(): string {
    const foreign = [...byIssuer].filter(([issuer]) => issuersIn(settings)?.has(issuer) === false)
    return [
      `Identities at other providers: ${count}.`,
      ...(damaged.length === 0 ? [] : [damagedText(damaged)]),
      ...foreign.map(
        ([issuer, some]) => `Warning: ${some} of ${printableOnLine(issuer)}, which no provider has. ${ADD}`,
      ),
    ].join(' ')
  }
}

const damagedText = (ids: ReadonlyArray<string>): string =>
  `${ids.length} ${ids.length === 1 ? 'has an id that does' : 'have ids that do'} not follow from issuer and subject: ${ids.slice(0, MOST_IDS).join(', ')}. Their users cannot sign in with them. Restore a back-up.`

const MOST_IDS = 3
const ADD = 'Add it to IDENTITY_PROVIDERS_FILE, as the file had it. Else these users need another way in.'

/** Undefined without providers: an operator may have switched them off on purpose. */
const issuersIn = ({
  identityProvidersFile: file,
}: Dependencies['settings']): ReadonlySet<string> | undefined => {
  const read = file === undefined ? undefined : identityProvidersIn(file)
  return read !== undefined && isRight(read) ? new Set(read.right.map(({ issuer }) => issuer)) : undefined
}
