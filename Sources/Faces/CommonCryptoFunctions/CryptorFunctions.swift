package import CommonCrypto

@c @implementation
package func CCCryptorCreate(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!
) -> CCCryptorStatus {
    unsafe create(key, keyLength, iv, cryptorRef) { () throws(CryptorRefusal) in
        try CipherChoice(op, alg, options: options)
    }
}

@c @implementation
package func CCCryptorCreateWithMode(
    _ op: CCOperation, _ mode: CCMode, _ alg: CCAlgorithm, _ padding: CCPadding, _ iv: UnsafeRawPointer!,
    _ key: UnsafeRawPointer!, _ keyLength: Int, _ tweak: UnsafeRawPointer!, _ tweakLength: Int,
    _ numRounds: Int32, _ options: CCModeOptions, _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!
) -> CCCryptorStatus {
    // The second key of XTS is as long as the first; like Apple's code, this ignores the given length.
    unsafe create(key, keyLength, iv, cryptorRef, tweak: tweak) { () throws(CryptorRefusal) in
        try CipherChoice(op, alg, mode: mode, padding: padding)
    }
}

@c @implementation
package func CCCryptorCreateFromData(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ data: UnsafeRawPointer!, _ dataLength: Int,
    _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!, _ dataUsed: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    unsafe createInside(data, dataLength, cryptorRef, dataUsed) { reference in
        unsafe CCCryptorCreate(op, alg, options, key, keyLength, iv, reference)
    }
}

/// Creates a cryptor on the heap.
func create(
    _ key: UnsafeRawPointer?, _ keyByteCount: Int, _ iv: UnsafeRawPointer?,
    _ reference: UnsafeMutablePointer<CCCryptorRef?>?, tweak: UnsafeRawPointer? = nil,
    choose: () throws(CryptorRefusal) -> CipherChoice
) -> CCCryptorStatus {
    guard let reference = unsafe reference else { return .parameter }
    unsafe reference.pointee = nil
    guard let key = unsafe key else { return .parameter }
    do throws(CryptorRefusal) {
        let choice = try choose()
        let cryptor = unsafe try UnsafeMutablePointer<Cryptor>.make(
            choice, key: key, keyByteCount: keyByteCount, tweak: tweak, iv: iv)
        unsafe reference.pointee = CCCryptorRef(cryptor)
        return .success
    } catch {
        return error.status
    }
}

/// Creates a cryptor whose reference points into the caller's memory.
func createInside(
    _ memory: UnsafeRawPointer?, _ available: Int, _ reference: UnsafeMutablePointer<CCCryptorRef?>?,
    _ used: UnsafeMutablePointer<Int>?,
    create: (UnsafeMutablePointer<CCCryptorRef?>) -> CCCryptorStatus
) -> CCCryptorStatus {
    do throws(CryptorRefusal) {
        let lent = unsafe try LentMemory(memory, available, used: used)
        guard let reference = unsafe reference else { throw CryptorRefusal(.parameter) }
        var made: CCCryptorRef?
        let status = unsafe create(&made)
        guard status == .success, let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: made) else { return status }
        unsafe reference.pointee = unsafe lent.reference(to: cryptor)
        return .success
    } catch {
        return error.status
    }
}

@c @implementation
package func CCCryptorRelease(_ cryptorRef: CCCryptorRef!) -> CCCryptorStatus {
    unsafe UnsafeMutablePointer<Cryptor>.release(cryptorRef)
    return .success
}

@c @implementation
package func CCCryptorUpdate(
    _ cryptorRef: CCCryptorRef!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!, _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else { return .parameter }
    if let watched = unsafe cryptor.pointee.watched,
        unsafe cryptor.pointee.takes(dataIn, dataInLength, dataOut, dataOutAvailable)
    {
        unsafe watched.takes(dataIn, dataInLength)
    }
    var moved = 0
    let status = unsafe cryptor.pointee.update(dataIn, dataInLength, dataOut, dataOutAvailable, moved: &moved)
    unsafe dataOutMoved?.pointee = moved
    if status == .success { unsafe cryptor.pointee.watched?.gives(dataOut, moved) }
    return status
}

@c @implementation
package func CCCryptorFinal(
    _ cryptorRef: CCCryptorRef!, _ dataOut: UnsafeMutableRawPointer!, _ dataOutAvailable: Int,
    _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    // Legacy programs finish cryptors that are already released.
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else { return .success }
    var moved = 0
    let status = unsafe cryptor.pointee.finish(dataOut, dataOutAvailable, moved: &moved)
    unsafe dataOutMoved?.pointee = moved
    if status == .success, let watched = unsafe cryptor.pointee.watched {
        unsafe watched.gives(dataOut, moved)
        watched.end()
    }
    return status
}

@c @implementation
package func CCCryptorGetOutputLength(_ cryptorRef: CCCryptorRef!, _ inputLength: Int, _ final: Bool) -> Int {
    // A status as a length, as in Apple's code.
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else {
        return Int(CCCryptorStatus.parameter)
    }
    return unsafe cryptor.pointee.outputByteCount(inputLength, final: final)
}

@c @implementation
package func CCCryptorReset(_ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else { return .parameter }
    let status = unsafe cryptor.pointee.reset(iv)
    if status == .success {
        unsafe cryptor.pointee.watched?.start(iv, cryptor.pointee.choice.blockByteCount)
    }
    return status
}
