import { expect } from 'chai'
import { type ClientSettings, portcullis, tokenVerifier } from '../../adapters/client/client.ts'

const VERIFIER = { url: 'https://auth.example.com' }
const CLIENT: ClientSettings = { ...VERIFIER, publicApiKey: 'pk_public', privateApiKey: 'sk_private' }

type Wrong = Readonly<Record<string, unknown>>

const URLS: ReadonlyArray<readonly [what: string, url: unknown]> = [
  ['without a scheme', 'auth.example.com'],
  ['of another scheme', 'ftp://auth.example.com'],
  ['with a password', 'https://a:b@auth.example.com'],
  ['with a query', 'https://auth.example.com?a=b'],
  ['that is empty', ''],
]

/** Settings that both refuse. */
const OF_BOTH: ReadonlyArray<readonly [what: string, wrong: Wrong, message: string]> = [
  ['no url', { url: undefined }, 'url must be the http or https URL of Portcullis'],
  ...['url', 'issuer'].flatMap((name) =>
    URLS.map(([what, url]) => [`a ${name} ${what}`, { [name]: url }, `${name} must be the http`] as const),
  ),
  ['a fetch that is no function', { fetch: 'fetch' }, 'fetch must be a function.'],
  ['no time', { timeout: 0 }, 'timeout must be 1 to'],
  ['more time than a timer can run', { timeout: 2 ** 31 }, 'timeout must be 1 to'],
  ['a time that is no number', { timeout: Number.NaN }, 'timeout must be 1 to'],
]

const OF_CLIENT: ReadonlyArray<readonly [what: string, wrong: Wrong, message: string]> = [
  ['no public API key', { publicApiKey: undefined }, 'publicApiKey is missing.'],
  ['an empty private API key', { privateApiKey: '' }, 'privateApiKey is missing.'],
  [
    'swapped API keys',
    { publicApiKey: 'sk_private', privateApiKey: 'pk_public' },
    'publicApiKey is a private API key: it begins with sk_. Swap the two keys.',
  ],
  [
    'the public API key twice',
    { privateApiKey: 'pk_public' },
    'privateApiKey is a public API key: it begins with pk_. Swap the two keys.',
  ],
]

describe('the settings of the client', () => {
  for (const [what, wrong, message] of [...OF_BOTH, ...OF_CLIENT])
    it(`refuse ${what}`, () => {
      expect(() => portcullis({ ...CLIENT, ...wrong })).to.throw(TypeError, message)
    })

  for (const [what, wrong, message] of OF_BOTH)
    it(`of tokenVerifier refuse ${what}`, () => {
      expect(() => tokenVerifier({ ...VERIFIER, ...wrong })).to.throw(TypeError, message)
    })

  it('never show a key in a message', () => {
    for (const [, wrong] of OF_CLIENT)
      expect(() => portcullis({ ...CLIENT, ...wrong })).to.throw(/^((?!pk_public|sk_private).)*$/)
  })

  it('permit API keys of a generator of your own', () => {
    portcullis({ ...CLIENT, publicApiKey: 'shop', privateApiKey: 'secret' })
  })
})
