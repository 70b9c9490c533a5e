import { some } from 'fp-ts/lib/Option.js'
import type { Fact } from '../../../application/recording/facts.ts'
import { NO_OWN_LIFETIMES } from '../../../domain/lifetimes.ts'
import {
  anApplication,
  aRevokedToken,
  DIGEST,
  newId,
  registeredApplication,
  revokedToken,
} from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of applications and their tokens. */
export const applicationEvents = (): CasesOf<
  | 'ApplicationRegistered'
  | 'ApplicationChanged'
  | 'PasskeyOriginsSet'
  | 'ReturnUrlsSet'
  | 'RedirectUrisSet'
  | 'ApplicationKeyRotated'
  | 'ApplicationRevoked'
  | 'ApplicationTokenIssued'
  | 'ApplicationTokenRevoked'
> => {
  const application = anApplication({
    name: 'shop',
    scope: ['users:sign_in', 'users:register'],
    lifetimes: { ...NO_OWN_LIFETIMES, sessionTtlSeconds: some(86_400), rememberTtlSeconds: some(864_000) },
  })
  const subject = { kind: 'application', id: application.id } as const
  const [keyId, tokenId] = [newId(), newId()]
  const before = [registeredApplication(application)]
  const changed = {
    ...application,
    name: 'store',
    scope: ['users:sign_in'],
    lifetimes: { ...NO_OWN_LIFETIMES, userTokenTtlSeconds: some(600), idleTtlSeconds: some(3_600) },
    requiredAssurance: 'aal2',
    requiresVerifiedEmail: true,
  } as const
  const client = {
    redirectUris: ['https://shop.example/callback', 'http://127.0.0.1:3000/callback'],
    logoutUris: ['https://shop.example/bye'],
    clientKind: 'confidential',
    requiresPkce: false,
  } as const
  const rotation: Fact = {
    _tag: 'ApplicationKeyRotated',
    application,
    key: { id: newId(), digest: 'b2'.repeat(32) },
    previousUntilSeconds: 4_102_444_799,
  }
  const rotated = {
    ...application,
    keyId: rotation.key.id,
    keyDigest: rotation.key.digest,
    previousKey: some({ id: application.keyId, digest: application.keyDigest, untilSeconds: 4_102_444_799 }),
    version: 2,
  }
  const revoked = aRevokedToken({ id: tokenId, applicationId: application.id })
  return {
    ApplicationRegistered: {
      before: [],
      fact: registeredApplication(application),
      event: {
        type: 'ApplicationRegistered',
        version: 1,
        subject,
        data: {
          name: 'shop',
          scope: 'users:sign_in users:register',
          user_token_ttl: null,
          idle_ttl: null,
          session_ttl: 86_400,
          remember_ttl: 864_000,
          required_assurance: 'aal1',
          require_verified_email: false,
          key_id: application.keyId,
        },
      },
      rows: [{ table: 'applications', row: application }],
    },
    ApplicationChanged: {
      before,
      fact: { _tag: 'ApplicationChanged', application: changed },
      event: {
        type: 'ApplicationChanged',
        version: 1,
        subject,
        data: {
          name: 'store',
          scope: 'users:sign_in',
          user_token_ttl: 600,
          idle_ttl: 3_600,
          session_ttl: null,
          remember_ttl: null,
          required_assurance: 'aal2',
          require_verified_email: true,
        },
      },
      rows: [{ table: 'applications', row: { ...changed, version: 2 } }],
    },
    PasskeyOriginsSet: {
      before,
      fact: { _tag: 'PasskeyOriginsSet', application, origins: ['https://shop.example'] },
      event: {
        type: 'PasskeyOriginsSet',
        version: 1,
        subject,
        data: { origins: ['https://shop.example'] },
      },
      rows: [
        {
          table: 'applications',
          row: { ...application, passkeyOrigins: ['https://shop.example'], version: 2 },
        },
      ],
    },
    ReturnUrlsSet: {
      before,
      fact: { _tag: 'ReturnUrlsSet', application, urls: ['https://shop.example/back'] },
      event: { type: 'ReturnUrlsSet', version: 1, subject, data: { urls: ['https://shop.example/back'] } },
      rows: [
        {
          table: 'applications',
          row: { ...application, returnUrls: ['https://shop.example/back'], version: 2 },
        },
      ],
    },
    RedirectUrisSet: {
      before,
      fact: { _tag: 'RedirectUrisSet', application, client },
      event: {
        type: 'RedirectUrisSet',
        version: 1,
        subject,
        data: {
          redirect_uris: client.redirectUris,
          logout_uris: client.logoutUris,
          client: 'confidential',
          pkce: 'optional',
        },
      },
      rows: [{ table: 'applications', row: { ...application, ...client, version: 2 } }],
    },
    ApplicationKeyRotated: {
      before: [...before, rotation],
      fact: {
        _tag: 'ApplicationKeyRotated',
        application: rotated,
        key: { id: keyId, digest: DIGEST },
        previousUntilSeconds: 4_102_444_800,
      },
      event: {
        type: 'ApplicationKeyRotated',
        version: 1,
        subject,
        data: {
          key_id: keyId,
          previous_key_id: rotated.keyId,
          previous_until: '2100-01-01T00:00:00.000Z',
        },
      },
      rows: [
        {
          table: 'applications',
          row: {
            ...rotated,
            keyId,
            keyDigest: DIGEST,
            previousKey: some({ ...rotation.key, untilSeconds: 4_102_444_800 }),
            version: 3,
          },
        },
      ],
    },
    ApplicationRevoked: {
      before,
      fact: { _tag: 'ApplicationRevoked', application },
      event: { type: 'ApplicationRevoked', version: 1, subject, data: {} },
      rows: [{ table: 'applications', row: { ...application, revoked: true, version: 2 } }],
    },
    ApplicationTokenIssued: {
      before: [],
      fact: {
        _tag: 'ApplicationTokenIssued',
        applicationId: application.id,
        keyId,
        tokenId,
        expiresAtSeconds: 4_102_444_800,
      },
      event: {
        type: 'ApplicationTokenIssued',
        version: 1,
        subject,
        data: { token_id: tokenId, key_id: keyId, expires_at: '2100-01-01T00:00:00.000Z' },
      },
      rows: [],
    },
    ApplicationTokenRevoked: {
      before,
      fact: revokedToken(revoked),
      event: { type: 'ApplicationTokenRevoked', version: 1, subject, data: { token_id: tokenId } },
      rows: [{ table: 'revoked_tokens', row: revoked }],
    },
  }
}
