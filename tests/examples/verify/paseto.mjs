import { InspectFooter, PublicProtocol } from 'paseto'
import { ImportPublicKeyFactory, VerifyFactory } from 'paseto/v4/public'

const [issuer, token, ...roles] = process.argv.slice(2)
const { keys } = await (await fetch(`${issuer}/.well-known/paseto-keys.json`)).json() // cache for 8 minutes at most
const { kid } = JSON.parse(new TextDecoder().decode(InspectFooter(token))) // names a key; not trusted before Verify
const key = keys.find((one) => one.kid === kid)
if (key === undefined) throw new Error('the issuer has no key with the kid of this token')
const v4 = new PublicProtocol(ImportPublicKeyFactory, VerifyFactory)
const { claims } = await v4.Verify(await v4.ImportPublicKey(key.paserk), token, { issuer, clockTolerance: 5 })
if (!roles.every((role) => claims.roles?.includes(role))) throw new Error('the user lacks a role')
process.stdout.write(`${claims.sub}\n`)
