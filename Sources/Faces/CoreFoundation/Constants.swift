// As in CoreFoundation.swift: the constants of `Security`, in front of those of the C module.
public import Foundation

@_disfavoredOverload public var noErr: OSStatus { Security.noErr }
@_disfavoredOverload public var kCFAllocatorDefault: CFAllocator! { Security.kCFAllocatorDefault }
@_disfavoredOverload public var kCFAllocatorSystemDefault: CFAllocator! { Security.kCFAllocatorSystemDefault }
@_disfavoredOverload public var kCFAllocatorMalloc: CFAllocator! { Security.kCFAllocatorMalloc }
@_disfavoredOverload public var kCFAllocatorNull: CFAllocator! { Security.kCFAllocatorNull }
@_disfavoredOverload public var kCFBooleanTrue: CFBoolean! { Security.kCFBooleanTrue }
@_disfavoredOverload public var kCFBooleanFalse: CFBoolean! { Security.kCFBooleanFalse }
@_disfavoredOverload public var kCFNull: CFNull! { Security.kCFNull }
@_disfavoredOverload public var kCFBundleIdentifierKey: CFString! { unsafe Security.kCFBundleIdentifierKey }
@_disfavoredOverload public var kCFBundleNameKey: CFString! { unsafe Security.kCFBundleNameKey }
@_disfavoredOverload public var kCFBundleVersionKey: CFString! { unsafe Security.kCFBundleVersionKey }
@_disfavoredOverload public var kCFErrorDomainOSStatus: CFErrorDomain! { unsafe Security.kCFErrorDomainOSStatus }
@_disfavoredOverload public var kCFErrorDomainPOSIX: CFErrorDomain! { unsafe Security.kCFErrorDomainPOSIX }
@_disfavoredOverload public var kCFErrorLocalizedDescriptionKey: CFString! {
    unsafe Security.kCFErrorLocalizedDescriptionKey
}
@_disfavoredOverload public var kCFErrorLocalizedFailureReasonKey: CFString! {
    unsafe Security.kCFErrorLocalizedFailureReasonKey
}
@_disfavoredOverload public var kCFErrorLocalizedRecoverySuggestionKey: CFString! {
    unsafe Security.kCFErrorLocalizedRecoverySuggestionKey
}
@_disfavoredOverload public var kCFErrorUnderlyingErrorKey: CFString! { unsafe Security.kCFErrorUnderlyingErrorKey }
