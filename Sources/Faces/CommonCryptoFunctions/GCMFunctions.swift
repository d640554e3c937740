import CLatchkeyShims
package import CommonCrypto
import CommonCryptoSPI

/// Replaces the status for calls in another order with that of these functions.
private func answer(_ status: CCCryptorStatus) -> CCCryptorStatus {
    status == .callSequence ? .unspecified : status
}

/// Calls `body` with the cryptor and its GCM, or refuses a cryptor that has another mode.
private func withGCM(
    _ reference: CCCryptorRef?,
    _ body: (UnsafeMutablePointer<Cryptor>, inout GCMEngine) -> CCCryptorStatus
) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: reference), var engine = unsafe cryptor.pointee.gcm
    else { return .parameter }
    defer { unsafe cryptor.pointee.gcm = engine }
    return unsafe body(cryptor, &engine)
}

@c @implementation
package func CCCryptorGCMAddIV(
    _ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!, _ ivLen: Int
) -> CCCryptorStatus {
    unsafe withGCM(cryptorRef) { cryptor, engine in
        let status = unsafe engine.start(iv, ivLen)
        if status == .success { unsafe cryptor.pointee.watched?.start(iv, ivLen) }
        return answer(status)
    }
}

@c @implementation
package func CCCryptorGCMSetIV(
    _ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!, _ ivLen: Int
) -> CCCryptorStatus {
    // A missing cryptor gets the same status.
    guard UInt(bitPattern: ivLen) >= UInt(GCMEngine.shortestVector), unsafe iv != nil else {
        return .parameter
    }
    return unsafe CCCryptorGCMAddIV(cryptorRef, iv, ivLen)
}

@c @implementation
package func CCCryptorGCMAddAAD(
    _ cryptorRef: CCCryptorRef!, _ aData: UnsafeRawPointer!, _ aDataLen: Int
) -> CCCryptorStatus {
    unsafe withGCM(cryptorRef) { _, engine in
        guard unsafe aDataLen == 0 || aData != nil else { return .parameter }
        return unsafe answer(engine.authenticate(aData, aDataLen))
    }
}

@c @implementation
package func CCCryptorGCMaddAAD(
    _ cryptorRef: CCCryptorRef!, _ aData: UnsafeRawPointer!, _ aDataLen: Int
) -> CCCryptorStatus {
    unsafe CCCryptorGCMAddAAD(cryptorRef, aData, aDataLen)
}

@c @implementation
package func CCCryptorGCMAddADD(
    _ cryptorRef: CCCryptorRef!, _ aData: UnsafeRawPointer!, _ aDataLen: Int
) -> CCCryptorStatus {
    unsafe CCCryptorGCMAddAAD(cryptorRef, aData, aDataLen)
}

@c @implementation
package func CCCryptorGCMEncrypt(
    _ cryptorRef: CCCryptorRef!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!
) -> CCCryptorStatus {
    // Both names work in the direction that the cryptor was made for.
    unsafe withGCM(cryptorRef) { cryptor, engine in
        guard unsafe (dataInLength == 0 || dataIn != nil) && dataOut != nil else { return .parameter }
        let watched = unsafe cryptor.pointee.watched
        if (1...Cryptor.longestPiece).contains(dataInLength) { unsafe watched?.takes(dataIn, dataInLength) }
        let status = unsafe engine.update(dataIn, dataOut, dataInLength)
        if status == .success { unsafe watched?.gives(dataOut, dataInLength) }
        return answer(status)
    }
}

@c @implementation
package func CCCryptorGCMDecrypt(
    _ cryptorRef: CCCryptorRef!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!
) -> CCCryptorStatus {
    unsafe CCCryptorGCMEncrypt(cryptorRef, dataIn, dataInLength, dataOut)
}

@c @implementation
package func CCCryptorGCMFinal(
    _ cryptorRef: CCCryptorRef!, _ tagOut: UnsafeMutableRawPointer!, _ tagLength: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    unsafe withTag(cryptorRef) { _, tag in
        guard let tagOut = unsafe tagOut, let tagLength = unsafe tagLength else { return .parameter }
        let count = unsafe Int(min(UInt(bitPattern: tagLength.pointee), UInt(GCMEngine.tagByteCount)))
        return unsafe tag { computed in
            unsafe tagOut.copyMemory(from: computed, byteCount: count)
            return .success
        }
    }
}

@c @implementation
package func CCCryptorGCMFinalize(
    _ cryptorRef: CCCryptorRef!, _ tag: UnsafeMutableRawPointer!, _ tagLength: Int
) -> CCCryptorStatus {
    unsafe withTag(cryptorRef) { isEncrypting, computeTag in
        guard let tag = unsafe tag, (GCMEngine.shortestTag...GCMEngine.tagByteCount).contains(tagLength) else {
            return .parameter
        }
        return unsafe computeTag { computed in
            guard isEncrypting else {
                return unsafe lk_equal_bytes(computed, tag, tagLength) == 1 ? .success : .unspecified
            }
            unsafe tag.copyMemory(from: computed, byteCount: tagLength)
            return .success
        }
    }
}

/// Calls `body` with the engine that computes the tag, after checking the arguments.
private func withTag(
    _ reference: CCCryptorRef?,
    _ body: (
        _ isEncrypting: Bool, _ computeTag: ((UnsafeRawPointer) -> CCCryptorStatus) -> CCCryptorStatus
    ) -> CCCryptorStatus
) -> CCCryptorStatus {
    unsafe withGCM(reference) { cryptor, engine in
        let isEncrypting = engine.isEncrypting
        return unsafe body(isEncrypting) { use in
            var memory = (UInt64(0), UInt64(0))
            return unsafe withUnsafeMutableBytes(of: &memory) { memory in
                guard let tag = memory.baseAddress else { return .memory }
                defer { unsafe lk_wipe(tag, memory.count) }
                let status = unsafe engine.finish(tag)
                guard status == .success else { return answer(status) }
                if let watched = unsafe cryptor.pointee.watched {
                    unsafe watched.authenticated(UnsafeRawBufferPointer(memory))
                    watched.end()
                }
                return unsafe use(tag)
            }
        }
    }
}

@c @implementation
package func CCCryptorGCMReset(_ cryptorRef: CCCryptorRef!) -> CCCryptorStatus {
    unsafe withGCM(cryptorRef) { _, engine in
        engine.reset()
        return .success
    }
}
