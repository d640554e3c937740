import LocalAuthentication
import Testing

// Code as it is written for Apple platforms in Swift 5, without any of this package's settings: it compiles unchanged.

class MockLAContext: LAContext {
    var mockError: Error?
    var mockCanEvaluatePolicy = true

    override var biometryType: LABiometryType {
        return .touchID
    }

    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        if let mockError = mockError {
            error?.pointee = mockError as NSError
        }
        return mockCanEvaluatePolicy
    }

    override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String, reply: @escaping (Bool, Error?) -> Void) {
        if let mockError = mockError {
            reply(false, mockError)
        } else {
            reply(mockCanEvaluatePolicy, nil)
        }
    }
}

class AsyncMockLAContext: LAContext {
    var evaluateResult = true

    override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        if evaluateResult { return true }
        throw LAError(.userCancel)
    }
}

enum BiometricError: Error, Equatable {
    case failed, canceledByUser, fallback, notAvailable, other
}

class BiometricAuthenticator {
    let context: LAContext

    init(context: LAContext) {
        self.context = context
    }

    func authenticate(completion: @escaping (Result<Bool, BiometricError>) -> Void) {
        context.localizedFallbackTitle = "Use passcode"
        context.localizedCancelTitle = nil
        var authError: NSError?
        guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &authError) else {
            completion(.failure(authError?.code == LAError.biometryNotAvailable.rawValue ? .notAvailable : .other))
            return
        }
        context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "Log in") { success, error in
            if success {
                completion(.success(true))
            } else {
                let errorType = (error as! LAError).authenticationError
                completion(.failure(errorType))
            }
        }
    }
}

extension LAError {
    var authenticationError: BiometricError {
        switch Int32(self.errorCode) {
        case kLAErrorAuthenticationFailed: return .failed
        case kLAErrorUserCancel: return .canceledByUser
        case kLAErrorUserFallback: return .fallback
        default: return .other
        }
    }
}

@Suite("Swift 5 code written for LocalAuthentication")
struct Swift5IdiomTests {
    func result(of context: MockLAContext) -> Result<Bool, BiometricError>? {
        var result: Result<Bool, BiometricError>?
        BiometricAuthenticator(context: context).authenticate { result = $0 }
        return result
    }

    @Test("a mock with plain closures stands in for a context")
    func mock() {
        let context = MockLAContext()
        #expect(result(of: context) == .success(true))
        context.mockError = LAError(.userFallback)
        #expect(result(of: context) == .failure(.fallback))
        context.mockError = NSError(domain: LAErrorDomain, code: LAError.userCancel.rawValue)
        #expect(result(of: context) == .failure(.canceledByUser))
        context.mockError = LAError(.biometryNotAvailable)
        context.mockCanEvaluatePolicy = false
        #expect(result(of: context) == .failure(.notAvailable))
    }

    @Test("a mock of the form with await stands in for a context")
    func asyncMock() async throws {
        let context = AsyncMockLAContext()
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Log in"))
        context.evaluateResult = false
        do {
            _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Log in")
            Issue.record("no error")
        } catch LAError.userCancel {
        } catch {
            Issue.record("another error")
        }
    }
}
