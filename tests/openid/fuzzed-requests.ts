import * as fc from 'fast-check'

export type Fields = ReadonlyArray<readonly [name: string, value: string]>

/** What a random request to authorize has instead of, or beside, a valid one. */
export const AUTHORIZATION = [
  ['prompt', ['none', 'login', 'create', 'consent', 'select_account', 'none login', 'x']],
  ['max_age', ['0', '1', '-1', '1e3', 'NaN', '9007199254740993', '0x10']],
  ['response_mode', ['query', 'fragment', 'form_post', 'jwt', 'web_message', 'x']],
  ['response_type', ['none', 'id_token', 'code id_token', 'token']],
  ['acr_values', ['aal1', 'aal2', 'aal2 aal1', '  ', 'x']],
  ['ui_locales', ['de', 'x'.repeat(300)]],
  ['login_hint', ['ada@example.com', '"><script>', 'x'.repeat(3_000)]],
  ['id_token_hint', ['x', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.']],
  ['request', ['x', 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.']],
  [
    'request_uri',
    ['https://evil.example/', 'urn:ietf:params:oauth:request_uri:x', 'urn:ietf:params:oauth:request_uri:'],
  ],
  [
    'redirect_uri',
    ['https://evil.example/', 'https://shop.example.com/callback#', 'javascript:alert(1)', '//evil.example'],
  ],
  ['state', ['x'.repeat(1_900), 'x'.repeat(2_100), '\r\nRefresh: 0', '"\'<>;,', '\ud800', 'ü€😀']],
  ['scope', ['openid', 'email', 'openid x', 'openid offline_access', '\n']],
  ['code_challenge', ['x', 'x'.repeat(43), '']],
  ['code_challenge_method', ['plain', 'S512']],
  ['continued', ['x', '%', '']],
  ['resource', ['https://api.example.com']],
  ['registration', ['{}']],
  ['dpop_jkt', ['x']],
  ['authorization_details', ['[]']],
  ['__proto__', ['x']],
  ['constructor', ['x']],
] as const

/** The same for the token endpoint. */
export const TOKEN = [
  [
    'grant_type',
    ['client_credentials', 'refresh_token', 'authorization_code', 'implicit', 'password', '__proto__'],
  ],
  ['scope', ['openid', 'email', 'x', '\n', '']],
  ['code', ['x', '\u0000', 'x'.repeat(10_000)]],
  ['refresh_token', ['x', '__proto__']],
  ['code_verifier', ['x', 'x'.repeat(43), '']],
  ['redirect_uri', ['https://evil.example/', '']],
  ['client_id', ['x', 'pk_', 'pk_x', '']],
  ['client_secret', ['x', 'sk_x', '']],
  ['resource', ['https://api.example.com']],
  ['client_assertion', ['a.b.c']],
  ['client_assertion_type', ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer']],
  ['authorization_details', ['[{"type":"x"}]']],
] as const

/** The same for the logout. */
export const LOGOUT = [
  ['id_token_hint', ['x', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.', 'a.bnVsbA.c', 'a.W10.c']],
  ['client_id', ['x', 'pk_x', '__proto__']],
  [
    'post_logout_redirect_uri',
    ['https://evil.example/', '//evil.example', 'https://shop.example.com/bye', 'javascript:1'],
  ],
  ['state', ['\r\nRefresh: 0', '"\'<>;,', '\ud800', 'x'.repeat(5_000)]],
  ['ui_locales', ['de', 'x'.repeat(300)]],
  ['continue', ['//evil.example', '/account']],
] as const

type Known = ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]>

/** Changes of a valid request, which give the text that is sent. */
export const changed = (known: Known): fc.Arbitrary<(fields: Fields) => string> => {
  const names = known.map(([name]) => name)
  const field = fc.oneof(
    {
      arbitrary: fc
        .constantFrom(...known)
        .chain(([name, values]) =>
          fc.constantFrom(...values).map((value): readonly [string, string] => [name, value]),
        ),
      weight: 6,
    },
    { arbitrary: fc.tuple(fc.constantFrom(...names), fc.string({ maxLength: 20 })), weight: 1 },
    { arbitrary: claims.map((value): readonly [string, string] => ['claims', value]), weight: 3 },
  )
  return fc
    .tuple(
      fc.array(field, { maxLength: 4 }),
      fc.constantFrom('replace', 'replace', 'replace', 'add'),
      fc.option(fc.nat({ max: 10 })),
      fc.constantFrom(
        '',
        '',
        '',
        '&',
        '&%',
        '&=',
        '#',
        '&state',
        '?',
        '&continued=x&continued=y',
        '&\u00e9=\u20ac',
      ),
    )
    .map(([more, how, dropped, end]) => (fields) => {
      const kept = fields.filter(
        ([name], at) => at !== dropped && (how === 'add' || !more.some(([other]) => other === name)),
      )
      const all = [...kept, ...more].map(([name, value]): [string, string] => [name, value])
      return `${new URLSearchParams(all)}${end}`
    })
}

/** JSON for the parameter `claims`, most of it in the shape of OpenID Connect Core §5.5. */
const claims: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc
    .dictionary(
      fc.constantFrom('id_token', 'userinfo'),
      fc.dictionary(
        fc.constantFrom('acr', 'sub', 'email', 'auth_time', 'sid', 'amr', 'iss', '__proto__', 'roles'),
        fc.oneof(
          fc.constant(null),
          fc.record(
            {
              essential: fc.boolean(),
              value: fc.oneof(fc.constantFrom('aal1', 'aal2', 'x'), fc.jsonValue({ maxDepth: 1 })),
              values: fc.oneof(fc.constantFrom(['aal1', 'aal2'], ['aal2']), fc.jsonValue({ maxDepth: 1 })),
            },
            { requiredKeys: [] },
          ),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        { maxKeys: 2 },
      ),
      { minKeys: 1 },
    )
    .map((value) => JSON.stringify(value)),
)
