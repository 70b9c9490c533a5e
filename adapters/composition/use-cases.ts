import { isNone, isSome, toUndefined } from 'fp-ts/lib/Option.js'
import { evenTiming } from '../../application/passwords/even-timing.ts'
import { slowestSchemes } from '../../application/passwords/slowest-schemes.ts'
import { openIdUseCases } from '../../application/use-cases/openid.ts'
import { operatorUseCases } from '../../application/use-cases/operators.ts'
import { pageUseCases } from '../../application/use-cases/pages.ts'
import { requestUseCases } from '../../application/use-cases/requests.ts'
import { hostOf, pagesOriginOf, productNameOf, type Settings, WrongSettings } from '../config/settings.ts'
import { loadKeyCheck } from '../credentials/passkeys/key-check.ts'
import { ed25519Notes } from '../credentials/signing/notes.ts'
import { nodeTreeDigests } from '../node/environment.ts'
import { logFolder } from '../stores/exported-log/folder.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'
import { passwordRecordReader } from './security.ts'

/** What all use cases need. */
const COMMON = {
  ...needs('clock', 'digests', 'findWeakness', 'formats', 'random', 'settings', 'store', 'throttle', 'timer'),
  hasher: Dependency.passwordHasher,
  record: Dependency.recorder,
  wrapping: Dependency.keyWrapping,
}

/** The product name of pages and mails, or the host. */
const serviceName = (settings: Settings): string => productNameOf(settings) ?? hostOf(settings)

const NO_PROTOCOL_STATE =
  'OPENID=on requires a storage with the port ProtocolState, in which codes wait. Remove OPENID, or add the port to the storage of --with'

/** The use cases of the HTTP routes, of the pages and of the command line. */
export const useCases: ReadonlyArray<Module> = [
  provide(
    Dependency.useCases,
    {
      ...COMMON,
      ...needs('background', 'keyring', 'logWaiters', 'passkeyVerifier'),
      ...needs(
        'accountPages',
        'identityProviders',
        'meters',
        'outbox',
        'protocolState',
        'publishedLog',
        'refusals',
        'sealing',
      ),
    },
    ({ settings, passkeyVerifier, accountPages, meters, outbox, protocolState, ...others }) => {
      const { passkeyRpId: rpId } = settings
      const [sealing, verifier] = [toUndefined(others.sealing), toUndefined(passkeyVerifier)]
      const rpName = serviceName(settings)
      const providers = meters.identities(others.identityProviders)
      const needed = {
        ...others,
        mailsNotices: isSome(outbox),
        // The links lead to the pages.
        mails:
          settings.pages && isSome(outbox)
            ? { outbox: outbox.value, mailsPerHour: settings.throttle.mailsPerHour }
            : undefined,
        evenTiming: evenTiming({ ...others, schemes: slowestSchemes(others) }),
        passkeys: rpId && sealing && verifier ? { verifier, sealing, rpId, rpName } : undefined,
        identities: sealing && providers.length > 0 ? { providers, sealing } : undefined,
        sealing,
        settings: {
          ...settings,
          issuer: settings.publicUrl,
          serviceName: rpName,
        },
      }
      const ofRequests = requestUseCases(needed)
      const pages = toUndefined(accountPages)
      const registers = settings.pages?.registration === true
      const marksDevices = isSome(outbox) && settings.mail?.extra.includes('new_sign_in') === true
      const ofPages = pageUseCases({ ...needed, currentAccountPages: pages, marksDevices, registers })
      const { openid, revokeToken } = ofRequests
      const { browsers } = ofPages
      if (openid !== undefined && isNone(protocolState)) throw new WrongSettings(NO_PROTOCOL_STATE)
      const openIdProvider =
        openid !== undefined && sealing !== undefined && browsers !== undefined && isSome(protocolState)
          ? openIdUseCases({
              ...needed,
              ...openid,
              openByBrowser: browsers.open,
              revokeToken,
              sealing,
              state: protocolState.value,
            })
          : undefined
      return { ...ofRequests, ...ofPages, openIdProvider }
    },
  ),
  provide(
    Dependency.operations,
    {
      ...COMMON,
      ...needs('failureCounts', 'passwordEstimator', 'protocolState', 'storage'),
      policy: Dependency.passwordPolicy,
    },
    ({ failureCounts, passwordEstimator, protocolState, storage, ...needed }) => {
      const { store, policy } = needed
      const settings = { ...needed.settings, passwordPolicy: policy }
      return {
        settings,
        store,
        serverNotes: storage.serverNotes,
        storeCopy: storage.storeCopy,
        passwordHasher: needed.hasher,
        formats: needed.formats,
        keyWrapping: needed.wrapping,
        digests: needed.digests,
        ...operatorUseCases({
          ...needed,
          settings: { ...needed.settings, pagesOrigin: pagesOriginOf(needed.settings) },
          outbox: storage.outbox, // also without MAIL_URL
          publicUrl: settings.publicUrl,
          notes: ed25519Notes(settings.eventLogKeys),
          treeDigests: nodeTreeDigests,
          filesIn: logFolder,
          readPasswordRecord: passwordRecordReader(settings),
          loadKeyCheck,
        }),
        close: async () => {
          await passwordEstimator.close()
          await failureCounts.close()
          await toUndefined(protocolState)?.close()
          await store.close()
        },
      }
    },
  ),
]
