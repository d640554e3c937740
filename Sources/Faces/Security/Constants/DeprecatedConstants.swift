import Foundation
import LatchkeyAccessControl

// The values of deprecated constants, for Latchkey's own targets and tests: there their use is correct, and warnings
// are errors.
//
// All are immutable objects: sharing them is safe.

package enum DeprecatedConstants {
    nonisolated(unsafe) package static let accessibleAlways: CFString = .name(.always)
    nonisolated(unsafe) package static let accessibleAlwaysThisDeviceOnly: CFString = .name(.alwaysThisDeviceOnly)
    nonisolated(unsafe) package static let useItemList: CFString = "u_ItemList"
    nonisolated(unsafe) package static let useOperationPrompt: CFString = "u_OpPrompt"
    nonisolated(unsafe) package static let useNoAuthenticationUI: CFString = "u_NoAuthUI"
    nonisolated(unsafe) package static let useAuthenticationUIAllow: CFString = "u_AuthUIA"
    nonisolated(unsafe) package static let useAuthenticationUIFail: CFString = "u_AuthUIF"
}
