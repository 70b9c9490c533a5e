import { type Bench, type Row, scriptAt, service } from '../bench-run.ts'
import { compareCosts, costOf } from '../compare.ts'
import { type Next, repeated, requestBytes } from '../load.ts'
import type { Service } from '../portcullis.ts'
import { applicationToken, profile } from '../requests.ts'
import { startSubject } from '../subject.ts'

/** The same tasks beside oidc-provider, which keeps everything in memory and logs nothing. */
const SIZE = { requests: 5_000, connections: 64 }

const besideOidcProvider = (
  { name, what, title, multiple }: Readonly<{ name: string; what: string; title: string; multiple: number }>,
  ours: (service: Service) => Next,
  theirs: (userToken: string) => string,
): Row => ({
  name,
  what,
  measure: async (bench) => {
    const provider = await oidcProvider(bench)
    const one = await service(bench)
    const measured = await compareCosts(bench, {
      title,
      aim: { better: 'higher', target: multiple, floor: multiple },
      ceilingName: 'oidc-provider',
      ceiling: costOf(provider, repeated(theirs(provider.userToken)), SIZE),
      ours: costOf(one, ours(one), SIZE),
    })
    return [measured]
  },
})

const oidcProvider = async ({ keep, folder }: Bench) => {
  const subject = await keep(startSubject({ words: [scriptAt('oidc-server.js')], folder }))
  return { ...subject, userToken: /token (\S+) listens/.exec(subject.ready)?.[1] ?? '' }
}

const CLIENT_CREDENTIALS = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: 'bench',
  client_secret: 'a secret of forty-three characters for this',
}).toString()

export const OIDC_ROWS: ReadonlyArray<Row> = [
  besideOidcProvider(
    {
      name: 'oidc-profile',
      what: 'profile, beside userinfo of oidc-provider',
      title: 'oidc-provider userinfo / profile',
      multiple: 3.5,
    },
    profile,
    (token) => requestBytes('GET', '/me', '', { token }),
  ),
  besideOidcProvider(
    {
      name: 'oidc-token',
      what: 'application token, beside a token of oidc-provider',
      title: 'oidc-provider token / application token',
      multiple: 2.5,
    },
    applicationToken,
    () => requestBytes('POST', '/token', CLIENT_CREDENTIALS),
  ),
]
