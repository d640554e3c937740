@_exported public import CoreFoundation
// The toolchain's Core Foundation, with the names that `Security` has in the form that it gives them.
//
// A module of this name hides the toolchain's C module for the whole build: names that this one does not pass on are
// gone for every package. Names that are declared here replace those of the C module. Each is `Security`'s own, so a
// file may import both: types are then the same, and for the rest `Security`'s is chosen, because these are
// disfavoured.
public import Foundation
@_exported public import Security

public typealias CFTypeRef = Security.CFTypeRef
public typealias CFString = Security.CFString
public typealias CFMutableString = Security.CFMutableString
public typealias CFData = Security.CFData
public typealias CFMutableData = Security.CFMutableData
public typealias CFDictionary = Security.CFDictionary
public typealias CFMutableDictionary = Security.CFMutableDictionary
public typealias CFArray = Security.CFArray
public typealias CFMutableArray = Security.CFMutableArray
public typealias CFSet = Security.CFSet
public typealias CFMutableSet = Security.CFMutableSet
public typealias CFDate = Security.CFDate
public typealias CFURL = Security.CFURL
public typealias CFNull = Security.CFNull
public typealias CFUUID = Security.CFUUID
public typealias CFNumber = Security.CFNumber
public typealias CFBoolean = Security.CFBoolean
public typealias CFError = Security.CFError
public typealias CFErrorDomain = Security.CFErrorDomain
public typealias CFIndex = Security.CFIndex
public typealias CFTypeID = Security.CFTypeID
public typealias CFOptionFlags = Security.CFOptionFlags
public typealias CFHashCode = Security.CFHashCode
public typealias CFTimeInterval = Security.CFTimeInterval
public typealias CFAbsoluteTime = Security.CFAbsoluteTime
public typealias CFStringEncoding = Security.CFStringEncoding
public typealias OSStatus = Security.OSStatus
public typealias CFAllocator = Security.CFAllocator
