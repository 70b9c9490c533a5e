import { createServer } from 'node:http'
import * as client from 'openid-client'

const { PORT = '3000', CLIENT_ID, CLIENT_SECRET, ISSUER = 'http://127.0.0.1:8080' } = process.env
const home = `http://127.0.0.1:${PORT}/`
const redirectUri = `${home}callback`

// Without TLS only on this machine: leave the last argument out for an issuer with https.
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests],
})

/** What this server knows of each browser, by a random cookie: a sign-in that has begun, or the user. A product keeps it in a store. */
const browsers = new Map()
const cookie = `app-${PORT}` // browsers send a cookie to all ports of a host

const idIn = ({ headers }) => new RegExp(`(?:^|; )${cookie}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]

const lead = (response, to, id) => {
  if (id !== undefined)
    response.setHeader('Set-Cookie', `${cookie}=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200`)
  response.writeHead(303, { Location: String(to) }).end()
}

const signIn = async (response) => {
  const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()]
  const id = client.randomState()
  browsers.set(id, { pkceCodeVerifier, expectedState })
  const parameters = {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  lead(response, client.buildAuthorizationUrl(config, parameters), id)
}

/** A new cookie for the user, so that no cookie from before the sign-in is worth anything. */
const complete = async (request, response) => {
  const id = idIn(request)
  const checks = browsers.get(id) ?? {}
  browsers.delete(id)
  const tokens = await client.authorizationCodeGrant(config, new URL(request.url, home), checks)
  const signedIn = client.randomState()
  browsers.set(signedIn, { claims: tokens.claims(), idToken: tokens.id_token })
  lead(response, home, signedIn)
}

const signOut = (request, response) => {
  const { idToken } = browsers.get(idIn(request)) ?? {}
  browsers.delete(idIn(request))
  const hint = idToken === undefined ? {} : { id_token_hint: idToken }
  lead(response, client.buildEndSessionUrl(config, { post_logout_redirect_uri: home, ...hint }))
}

const answer = async (request, response) => {
  // The redirect URI has this host, and cookies belong to one.
  if (request.headers.host !== new URL(home).host) return lead(response, home)
  const { pathname } = new URL(request.url, home)
  const user = browsers.get(idIn(request))?.claims
  if (pathname === '/callback') await complete(request, response)
  else if (pathname === '/sign-out') signOut(request, response)
  else if (user === undefined) await signIn(response)
  else response.end(`Signed in as ${user.email}. To sign out, open ${home}sign-out\n`)
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    const { error: code = '', error_description: description = '' } = error
    process.stderr.write(`${error} ${code} ${description}\n`)
    response.writeHead(400).end('The sign-in did not succeed. Begin again.\n')
  })
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`${home}\n`))
